{{/* The pod of a Job that runs `quoth`: {root, name, arguments, resources, temporary,
claim, which is mounted at /{mount}, key: the Secret of the first key, at /etc/quoth/first}. */}}
{{- define "quoth.jobPod" -}}
{{- $it := dict "root" .root "component" "tools" -}}
{{- $secrets := include "quoth.secrets" $it | fromYaml -}}
metadata:
  labels: {{ include "quoth.labels" $it | nindent 4 }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  restartPolicy: Never
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  securityContext: {{ include "quoth.podSecurity" .root | nindent 4 }}
  containers:
    - name: {{ .name }}
      image: {{ include "quoth.image" $it }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: {{ toYaml .arguments | nindent 8 }}
      env: {{ include "quoth.environment" $it | nindent 8 }}
      resources: {{ toYaml .resources | nindent 8 }}
      securityContext: {{ include "quoth.containerSecurity" .root | nindent 8 }}
      volumeMounts:
        - {name: temporary, mountPath: /tmp}
        {{- if .claim }}
        - {name: {{ .mount }}, mountPath: /{{ .mount }}}
        {{- end }}
        {{- if .key }}
        - {name: first-key, mountPath: /etc/quoth/first, readOnly: true}
        {{- end }}
        {{- with $secrets.mounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: temporary
      emptyDir: {sizeLimit: {{ .temporary | default "64Mi" }}}
    {{- if .claim }}
    - name: {{ .mount }}
      persistentVolumeClaim: {claimName: {{ .claim }}}
    {{- end }}
    {{- with .key }}
    - name: first-key
      secret:
        secretName: {{ .name }}
        items: [{key: {{ .key }}, path: key}]
    {{- end }}
    {{- with $secrets.volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
