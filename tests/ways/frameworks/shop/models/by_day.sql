{{ config(
    materialized="incremental",
    incremental_strategy="insert_overwrite",
    partition_by="day",
) }}
select id, amount, day from {{ ref("arrived") }}
