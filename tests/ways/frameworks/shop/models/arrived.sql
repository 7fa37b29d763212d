{{ config(materialized="view") }}
select id, customer, amount, day
from {{ ref("orders") }}
where arrival = {{ var("arrival") }}
