{{ config(materialized="incremental", incremental_strategy="insert_overwrite") }}
select id, amount from {{ ref("arrived") }}
