{{ config(
    materialized="table",
    partition_by=["customer"],
    tblproperties={"delta.enableChangeDataFeed": "true", "team": "shop"},
) }}
select sum(amount) as total, count(*) as orders, customer
from {{ ref("orders") }}
where arrival <= {{ var("arrival") }}
group by customer
