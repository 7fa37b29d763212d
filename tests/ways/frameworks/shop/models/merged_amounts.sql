{{ config(
    materialized="incremental",
    incremental_strategy="merge",
    unique_key=["id", "day"],
    merge_update_columns=["amount"],
    incremental_predicates=["DBT_INTERNAL_DEST.day >= date'2026-01-02'"],
) }}
select id, day, amount, {{ var("arrival") }} as first_seen
from {{ ref("arrived") }}
