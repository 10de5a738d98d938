{{/*
The service account and its permissions, which are files/rules.yaml and files/leader-election-rules.yaml of the app's chart.
The names of the cluster-wide objects do not depend on the release: Helm refuses a second installation, which would
manage the same resources independently of the first.
*/}}
{{- define "interlock-lib.rbac" -}}
{{ include "interlock-lib.serviceAccount" . }}
---
{{ include "interlock-lib.clusterRole" (list . (printf "interlock-%s" .Chart.Name) (.Files.Get "files/rules.yaml")) }}
---
{{ include "interlock-lib.role" (list . (include "interlock-lib.fullname" .) .Release.Namespace (.Files.Get "files/leader-election-rules.yaml")) }}
{{- end -}}

{{- define "interlock-lib.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "interlock-lib.metadata" (list . "") | nindent 2 }}
# The pods of the Deployment mount the token explicitly; no other pod gets it by default.
automountServiceAccountToken: false
{{- end -}}

{{/* Permissions of the service account in the whole cluster; takes (list <context> <name> <rules, YAML list as text>). */}}
{{- define "interlock-lib.clusterRole" -}}
{{- $context := first . -}}
{{- $name := index . 1 -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ $name }}
  labels:
    {{- include "interlock-lib.labels" $context | nindent 4 }}
rules:
  {{- last . | trim | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ $name }}
  labels:
    {{- include "interlock-lib.labels" $context | nindent 4 }}
{{ include "interlock-lib.grant" (list $context "ClusterRole" $name) }}
{{- end -}}

{{/* Permissions in one namespace; takes (list <context> <name> <namespace> <rules, YAML list as text>). */}}
{{- define "interlock-lib.role" -}}
{{- $context := first . -}}
{{- $name := index . 1 -}}
{{- $namespace := index . 2 -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ $name }}
  namespace: {{ $namespace | quote }}
  labels:
    {{- include "interlock-lib.labels" $context | nindent 4 }}
rules:
  {{- last . | trim | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ $name }}
  namespace: {{ $namespace | quote }}
  labels:
    {{- include "interlock-lib.labels" $context | nindent 4 }}
{{ include "interlock-lib.grant" (list $context "Role" $name) }}
{{- end -}}

{{/* The role and the subjects of a binding; takes (list <context> <kind of the role> <its name>). */}}
{{- define "interlock-lib.grant" -}}
{{- $context := first . -}}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ index . 1 }}
  name: {{ last . }}
subjects:
  - kind: ServiceAccount
    name: {{ include "interlock-lib.fullname" $context }}
    namespace: {{ $context.Release.Namespace | quote }}
{{- end -}}
