{{/*
The name of the release's objects: `promoter` for release `promoter`, `fleet-promoter` for release `fleet`. At most 52
characters, which leaves room for a suffix. Only the name of the release is cut, so that apps of one release have distinct names.
The name of a release may contain dots, but not that of a Service.
*/}}
{{- define "interlock-lib.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if eq .Chart.Name .Release.Name -}}
{{- .Chart.Name -}}
{{- else -}}
{{- $room := int (sub 51 (len .Chart.Name)) -}}
{{- printf "%s-%s" (.Release.Name | replace "." "-" | trunc $room | trimSuffix "-") .Chart.Name -}}
{{- end -}}
{{- end -}}

{{- define "interlock-lib.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "interlock-lib.labels" -}}
{{ include "interlock-lib.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: interlock
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Name, namespace and labels of an object; takes (list <context> <suffix of the name>). The labels come last, so that more can follow. */}}
{{- define "interlock-lib.metadata" -}}
{{- $context := first . -}}
name: {{ include "interlock-lib.fullname" $context }}{{ last . }}
namespace: {{ $context.Release.Namespace | quote }}
labels:
  {{- include "interlock-lib.labels" $context | nindent 2 }}
{{- end -}}

{{/* A digest identifies the image exactly, so it takes precedence over the tag. */}}
{{- define "interlock-lib.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}
