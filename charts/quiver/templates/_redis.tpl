{{- define "quiver.redisConf" }}
bind * -::*
port 6379
# There is a password: the users stand in the file below.
protected-mode no
aclfile /data/users.acl
dir /data
# At most a second of acknowledged work is undone by a crash of the machine, nothing by a crash of Redis.
appendonly yes
appendfsync everysec
# The default of 64 MB rewrites every other second under load.
auto-aof-rewrite-min-size 1gb
save ""
maxmemory {{ .Values.redis.maxmemory }}
# Anything else loses tasks.
maxmemory-policy noeviction
tcp-keepalive 60
# Our own clients dial again when they need to; who waits in a blocking command is not idle.
timeout 300
# No tenant has use for more, and what clients hold comes on top of maxmemory: the largest are closed first.
proto-max-bulk-len 8mb
client-query-buffer-limit 128mb
client-output-buffer-limit normal 64mb 32mb 10
maxmemory-clients 25%
{{- with .Values.redis.extraConfig }}
{{ . }}
{{- end }}
{{- end -}}
