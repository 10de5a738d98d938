{{/*
The annotations of a webhook configuration. With a certificate that another component manages, pods that still issue their own
certificates, such as those of the previous rollout, must not replace its authority.
*/}}
{{- define "interlock-lib.admissionAnnotations" -}}
{{- $marks := dict -}}
{{- if .Values.admission.certificateSecret -}}
{{- $marks = dict "admission.interlock.dev/ca-bundle" "external" -}}
{{- end -}}
{{- with merge $marks (.Values.admission.annotations | default dict) -}}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}
