select id from {{ ref("arrived") }}
except
select id from {{ ref("merged") }}
