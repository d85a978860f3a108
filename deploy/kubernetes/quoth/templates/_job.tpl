{{/* The pod of a Job that runs `quoth`: {root, name, arguments, resources, claim}. */}}
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
        - {name: backups, mountPath: /backups}
        {{- end }}
        {{- with $secrets.mounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: temporary
      emptyDir: {sizeLimit: 64Mi}
    {{- with .claim }}
    - name: backups
      persistentVolumeClaim: {claimName: {{ . }}}
    {{- end }}
    {{- with $secrets.volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
