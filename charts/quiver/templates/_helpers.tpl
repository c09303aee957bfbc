{{- define "quiver.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "quiver.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "quiver.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "quiver.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "quiver.serviceAccount" -}}
{{- if .Values.operator.serviceAccount.create -}}
{{- default (printf "%s-operator" (include "quiver.fullname" .)) .Values.operator.serviceAccount.name -}}
{{- else -}}
{{- .Values.operator.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The Secret that the operator makes for the bundled Redis. */}}
{{- define "quiver.redisSecret" -}}
{{- include "quiver.fullname" . -}}-redis-admin
{{- end -}}

{{- define "quiver.history" -}}
{{- include "quiver.fullname" . -}}-history
{{- end -}}

{{- define "quiver.historyAccount" -}}
{{- if .Values.history.serviceAccount.create -}}
{{- default (include "quiver.history" .) .Values.history.serviceAccount.name -}}
{{- else -}}
{{- .Values.history.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "quiver.selector" -}}
app.kubernetes.io/name: {{ include "quiver.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "quiver.ownLabels" -}}
{{ include "quiver.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: quiver
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* The chart's own labels before those of one object, and these before commonLabels; dict root, component, labels. */}}
{{- define "quiver.labels" -}}
{{- $own := include "quiver.ownLabels" . | fromYaml -}}
{{- toYaml (merge $own (default (dict) .labels) .root.Values.commonLabels) -}}
{{- end -}}

{{/* Labels and annotations of an object; dict root, component, labels, annotations, of which the last two may be absent. */}}
{{- define "quiver.meta" -}}
labels: {{- include "quiver.labels" . | nindent 2 }}
{{- with merge (dict) (default (dict) .annotations) .root.Values.commonAnnotations }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* registry/repository:tag, or @digest; the image's own registry before image.registry; dict root, image. */}}
{{- define "quiver.image" -}}
{{- $registry := default .root.Values.image.registry .image.registry | trimSuffix "/" -}}
{{- if not $registry -}}
{{- fail "image.registry must name the registry that holds quiver/operator and quiver/worker" -}}
{{- end -}}
{{- printf "%s/%s" $registry .image.repository -}}
{{- if .image.digest -}}@{{ .image.digest }}{{- else -}}:{{ default .root.Chart.AppVersion .image.tag }}{{- end -}}
{{- end -}}

{{- define "quiver.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Where a pod may run; dict of the component's values. */}}
{{- define "quiver.placement" -}}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .topologySpreadConstraints }}
topologySpreadConstraints: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* What the restricted Pod Security Standard asks of a container, and a root file system that nothing writes to. */}}
{{- define "quiver.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "quiver.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* Whom to trust at history, and a token for it. */}}
{{- define "quiver.historyVolumes" -}}
{{- if .Values.history.enabled -}}
# A renewed certificate changes the file. Without ca.crt in a named Secret, supervisors trust public authorities.
- name: history
  secret:
    defaultMode: 0440
    {{- if .Values.history.tls.secretName }}
    secretName: {{ .Values.history.tls.secretName }}
    items: [{key: ca.crt, path: ca.crt}]
    optional: true
    {{- else }}
    secretName: {{ include "quiver.history" . }}-tls
    items: [{key: tls.crt, path: ca.crt}]
    {{- end }}
- name: history-token
  projected:
    sources:
      - serviceAccountToken: {audience: read.history.quiver.dev, expirationSeconds: 3600, path: token}
{{- end }}
{{- end -}}
