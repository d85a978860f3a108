{{/* What names of objects begin with, of 40 characters at most: what is cut off is told apart by its sum. */}}
{{- define "quoth.name" -}}
{{- $name := .Release.Name -}}
{{- ternary $name (printf "%s-%s" (trunc 31 $name | trimSuffix "-") (sha256sum $name | trunc 8)) (le (len $name) 40) -}}
{{- end -}}

{{/* The name of a CronJob, of 52 characters at most: what is cut off is told apart by its sum. */}}
{{- define "quoth.jobName" -}}
{{- ternary . (printf "%s-%s" (trunc 41 . | trimSuffix "-") (sha256sum . | trunc 8)) (le (len .) 50) -}}
{{- end -}}

{{- define "quoth.selector" -}}
app.kubernetes.io/name: quoth
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "quoth.labels" -}}
{{ include "quoth.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{- define "quoth.image" -}}
{{- $image := .root.Values.image -}}
{{- $reads := and (eq .component "ingest") .root.Values.ingest.ocr -}}
{{ $image.repository }}-{{ .component }}{{ ternary "-ocr" "" $reads }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- end -}}

{{/* The PriorityClass of `kind`, readers or background; one that is made without a name of yours has the release's,
and the namespace's before it: classes are of the whole cluster. */}}
{{- define "quoth.priority" -}}
{{- $values := .root.Values.priority -}}
{{- $own := printf "%s-%s-%s" .root.Release.Namespace (include "quoth.name" .root) .kind -}}
{{- index $values .kind | default (ternary $own "" $values.create) -}}
{{- end -}}

{{/* Where a service answers: all replicas, asked in turn by their callers. */}}
{{- define "quoth.address" -}}
{{- $name := printf "%s-%s" (include "quoth.name" .root) .component -}}
dns:///{{ $name }}.{{ .root.Release.Namespace }}.svc.{{ .root.Values.clusterDomain }}:{{ (index .root.Values .component).port }}
{{- end -}}

{{- define "quoth.podSecurity" -}}
runAsNonRoot: true
{{- with .Values.podSecurity.runAsUser }}
runAsUser: {{ . }}
runAsGroup: {{ . }}
# A claim that is new belongs to root; the platform that chooses a user chooses this as well.
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
{{- end }}
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "quoth.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end -}}
