{{/*
Alive is a process that answers; ready is one that can do its work. A store that is down makes replicas
unready, and restarts none.
*/}}
{{- define "quoth.probes" -}}
{{- $port := .root.Values.transport.healthPort -}}
{{- $alive := dict "grpc" (dict "port" $port "service" "liveness") -}}
{{- $ready := dict "grpc" (dict "port" $port) -}}
{{- if eq .component "gateway" -}}
{{- /* The kubelet asks by the pod's address, which is none of the names that the gateway answers to. */ -}}
{{- $host := list (dict "name" "Host" "value" "localhost") -}}
{{- $alive = dict "httpGet" (dict "path" "/healthz" "port" "http" "httpHeaders" $host) -}}
{{- /* Not /readyz: gateways that go with the last replica of a part could not say which part is down. */ -}}
{{- $ready = $alive -}}
{{- end -}}
startupProbe:
  {{- toYaml $alive | nindent 2 }}
  periodSeconds: 2
  timeoutSeconds: 2
  # PostgreSQL is waited for for 30 s.
  failureThreshold: 60
readinessProbe:
  {{- toYaml $ready | nindent 2 }}
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 2
livenessProbe:
  {{- toYaml $alive | nindent 2 }}
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 6
{{- end -}}
