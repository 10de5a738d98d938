{{- define "gitops-responder.configNamespace" -}}
{{- default .Release.Namespace .Values.configNamespace -}}
{{- end -}}

{{/*
The name of the cluster-wide objects: one for each responder, so that Helm refuses a second installation for the same
responses, and takes one for others.
*/}}
{{- define "gitops-responder.clusterName" -}}
interlock-gitops-responder
{{- if ne .Values.responderName "ugallu-gitops-responder" -}}
:{{ .Values.responderName }}
{{- end -}}
{{- end -}}
