{{/* Who reads a key, as {VARIABLE: [component, …]}: of what all services are given the others get none. */}}
{{- define "quoth.keys" -}}
{{- $own := index .root.Values .component | default dict -}}
{{- $env := merge (dict) ($own.env | default dict) .root.Values.env -}}
{{- $embeds := list "ingest" "retrieval" "generation" -}}
{{- $before := index (splitList ":" (toString ($env.QUOTH_EMBEDDER_BEFORE | default ""))) 0 -}}
{{- $chosen := list (toString ($env.QUOTH_EMBEDDER | default "")) $before -}}
OPENAI_API_KEY: {{ ternary $embeds (list "generation") (has "openai" $chosen) | toJson }}
ANTHROPIC_API_KEY: [generation]
GENERATION_MODEL_KEY: [generation]
QUOTH_EMBEDDER_KEY: {{ toJson $embeds }}
CO_API_KEY: {{ toJson $embeds }}
RETRIEVAL_RERANKER_KEY: [retrieval]
QUOTH_POSTGRES_DSN: [gateway, ingest, generation, tools]
QUOTH_QDRANT_API_KEY: [ingest, retrieval, tools]
QUOTH_REDIS_URL: [gateway]
QUOTH_KEY: [tools]
{{- end -}}

{{/* Variables of a container: what the chart knows, then yours, which go before. */}}
{{- define "quoth.environment" -}}
{{- $root := .root -}}
{{- $component := .component -}}
{{- $own := index $root.Values .component | default dict -}}
{{- $secret := merge (dict) ($own.secretEnv | default dict) -}}
{{- $keys := include "quoth.keys" . | fromYaml -}}
{{- range $name, $ref := $root.Values.secretEnv }}
{{- if and (not (hasKey $secret $name)) (has $component (get $keys $name | default (list $component))) }}
{{- $_ := set $secret $name $ref }}
{{- end }}
{{- end }}
{{- $given := include "quoth.known" . | fromYaml -}}
{{- /* Not by `merge`, to which false, 0 and "" are as good as nothing. */}}
{{- range $those := list $root.Values.env ($own.env | default dict) }}
{{- range $name, $value := $those }}
{{- $_ := set $given $name $value }}
{{- end }}
{{- end }}
{{- $attributes := "" }}
{{- if and $root.Values.telemetry.endpoint (hasKey $given "OTEL_RESOURCE_ATTRIBUTES") }}
{{- $attributes = printf ",%s" (get $given "OTEL_RESOURCE_ATTRIBUTES") }}
{{- $_ := unset $given "OTEL_RESOURCE_ATTRIBUTES" }}
{{- end }}
{{- range $name, $value := $given }}
{{- if not (hasKey $secret $name) }}
- name: {{ $name }}
  {{- if and (kindIs "float64" $value) (eq (floor $value) $value) }}
  value: {{ printf "%.0f" $value | quote }}
  {{- else }}
  value: {{ $value | quote }}
  {{- end }}
{{- end }}
{{- end }}
{{- $theirs := merge (dict) $secret $given }}
{{- range $name, $ref := $secret }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef: {{ toYaml $ref | nindent 6 }}
{{- end }}
{{- if and (has .component (list "gateway" "ingest" "generation" "tools")) (not (hasKey $theirs "QUOTH_POSTGRES_DSN")) }}
- name: QUOTH_POSTGRES_DSN
  valueFrom:
    secretKeyRef: {{ toYaml $root.Values.postgres.dsnSecret | nindent 6 }}
{{- end }}
{{- if and (has .component (list "ingest" "retrieval" "tools")) $root.Values.qdrant.apiKeySecret.name (not (hasKey $theirs "QUOTH_QDRANT_API_KEY")) }}
- name: QUOTH_QDRANT_API_KEY
  valueFrom:
    secretKeyRef: {{ toYaml $root.Values.qdrant.apiKeySecret | nindent 6 }}
{{- end }}
{{- if and (eq .component "gateway") $root.Values.redis.urlSecret.name (not (hasKey $theirs "QUOTH_REDIS_URL")) }}
- name: QUOTH_REDIS_URL
  valueFrom:
    secretKeyRef: {{ toYaml $root.Values.redis.urlSecret | nindent 6 }}
{{- end }}
{{- if and (or (eq .component "tools") $root.Values.telemetry.endpoint) (not (hasKey $theirs "POD_NAME")) }}
- name: POD_NAME
  valueFrom:
    fieldRef: {fieldPath: metadata.name}
{{- end }}
{{- if and $root.Values.telemetry.prometheus.enabled (ne .component "tools") }}
{{- $exporters := ternary "otlp,prometheus" "prometheus" (ne $root.Values.telemetry.endpoint "") }}
{{- $port := toString $root.Values.telemetry.prometheus.port }}
{{- range $name, $value := dict "METRICS_EXPORTER" $exporters "EXPORTER_PROMETHEUS_HOST" "0.0.0.0" "EXPORTER_PROMETHEUS_PORT" $port }}
{{- if not (hasKey $theirs (printf "OTEL_%s" $name)) }}
- name: OTEL_{{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- if and $root.Values.telemetry.endpoint (ne .component "tools") }}
{{- if not (hasKey $theirs "OTEL_EXPORTER_OTLP_ENDPOINT") }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ $root.Values.telemetry.endpoint | quote }}
{{- end }}
{{- if not (hasKey $theirs "OTEL_RESOURCE_ATTRIBUTES") }}
- name: OTEL_RESOURCE_ATTRIBUTES
  value: {{ printf "service.instance.id=$(POD_NAME),k8s.namespace.name=%s%s" $root.Release.Namespace $attributes | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{/* What a service is told of the others and of its engines. */}}
{{- define "quoth.known" -}}
{{- $values := .root.Values -}}
{{- if eq .component "gateway" }}
{{- $name := printf "%s-gateway" (include "quoth.name" .root) }}
{{- $own := list $name (printf "%s.%s.svc.%s" $name .root.Release.Namespace $values.clusterDomain) }}
QUOTH_PORT: {{ $values.gateway.port | quote }}
QUOTH_LISTEN: 0.0.0.0
QUOTH_PROXY: {{ $values.gateway.proxy }}
QUOTH_HOSTS: {{ join "," (concat $own $values.hosts) }}
GATEWAY_INGEST: {{ include "quoth.address" (dict "root" .root "component" "ingest") }}
GATEWAY_RETRIEVAL: {{ include "quoth.address" (dict "root" .root "component" "retrieval") }}
GATEWAY_GENERATION: {{ include "quoth.address" (dict "root" .root "component" "generation") }}
{{- end }}
{{- if has .component (list "ingest" "retrieval" "generation") }}
{{ upper .component }}_LISTEN: 0.0.0.0:{{ (index $values .component).port }}
QUOTH_HEALTH_LISTEN: 0.0.0.0:{{ $values.transport.healthPort }}
QUOTH_CACHE_DIR: /var/cache/quoth
{{- end }}
{{- if ne .component "tools" }}
QUOTH_RPC_TLS: {{ $values.transport.tls }}
{{- if $values.transport.tokenSecret.name }}
QUOTH_SERVICE_TOKEN_FILE: /etc/quoth/services/token
{{- end }}
{{- if has $values.transport.tls (list "server" "mutual") }}
QUOTH_RPC_CERT: /etc/quoth/certificate/tls.crt
QUOTH_RPC_KEY: /etc/quoth/certificate/tls.key
QUOTH_RPC_CA: /etc/quoth/certificate/ca.crt
{{- end }}
{{- end }}
{{- if eq .component "generation" }}
GENERATION_RETRIEVAL: {{ include "quoth.address" (dict "root" .root "component" "retrieval") }}
{{- end }}
{{- if has .component (list "ingest" "retrieval" "tools") }}
QUOTH_QDRANT_URL: {{ $values.qdrant.url }}
{{- if $values.qdrant.caSecret.name }}
GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: /etc/quoth/qdrant/{{ $values.qdrant.caSecret.key }}
{{- end }}
{{- end }}
{{- if eq .component "tools" }}
QUOTH_URL: http://{{ include "quoth.name" .root }}-gateway.{{ .root.Release.Namespace }}.svc.{{ $values.clusterDomain }}:{{ $values.gateway.port }}
{{- end }}
{{- if and (has .component (list "gateway" "ingest" "generation" "tools")) $values.postgres.caSecret.name }}
PGSSLROOTCERT: /etc/quoth/postgres/{{ $values.postgres.caSecret.key }}
{{- end }}
{{- end -}}

{{/* Certificates and the services' token, as {mounts, volumes}. */}}
{{- define "quoth.secrets" -}}
{{- $wanted := dict -}}
{{- $transport := .root.Values.transport -}}
{{- $token := and (ne .component "tools") $transport.tokenSecret.name -}}
{{- $certificate := and (ne .component "tools") (has $transport.tls (list "server" "mutual")) -}}
{{- if has .component (list "gateway" "ingest" "generation" "tools") }}{{ $_ := set $wanted "postgres" .root.Values.postgres.caSecret }}{{ end -}}
{{- if has .component (list "ingest" "retrieval" "tools") }}{{ $_ := set $wanted "qdrant" .root.Values.qdrant.caSecret }}{{ end -}}
mounts:
{{- range $engine, $secret := $wanted }}
{{- if $secret.name }}
  - {name: {{ $engine }}-ca, mountPath: /etc/quoth/{{ $engine }}, readOnly: true}
{{- end }}
{{- end }}
{{- if $token }}
  - {name: services, mountPath: /etc/quoth/services, readOnly: true}
{{- end }}
{{- if $certificate }}
  - {name: certificate, mountPath: /etc/quoth/certificate, readOnly: true}
{{- end }}
volumes:
{{- range $engine, $secret := $wanted }}
{{- if $secret.name }}
  - name: {{ $engine }}-ca
    secret:
      secretName: {{ $secret.name }}
      items: [{key: {{ $secret.key }}, path: {{ $secret.key }}}]
{{- end }}
{{- end }}
{{- if $token }}
  - name: services
    secret:
      secretName: {{ $transport.tokenSecret.name }}
      items: [{key: {{ $transport.tokenSecret.key }}, path: token}]
{{- end }}
{{- if $certificate }}
  - name: certificate
    secret:
      {{- $name := required "transport.certificateSecret.name is needed for TLS" $transport.certificateSecret.name }}
      secretName: {{ ternary (printf "%s-%s" $name .component) $name $transport.certificateSecret.each }}
{{- end }}
{{- end -}}
