{{ config(
    materialized="incremental",
    incremental_strategy="merge",
    unique_key="id",
    on_schema_change="append_new_columns",
) }}
select id, customer, amount{% if var("arrival") > 1 %}, upper(customer) as shouted{% endif %}
from {{ ref("arrived") }}
