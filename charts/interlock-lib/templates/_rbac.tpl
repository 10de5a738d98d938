{{/*
The service account and its rights, which are files/rules.yaml and files/leader-election-rules.yaml of the app's chart.
The names of the cluster-wide objects do not depend on the release: Helm refuses a second installation, which would
work on the same resources without knowing of the first.
*/}}
{{- define "interlock-lib.rbac" -}}
{{- $fullname := include "interlock-lib.fullname" . -}}
{{- $clusterName := printf "interlock-%s" .Chart.Name -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "interlock-lib.metadata" (list . "") | nindent 2 }}
# The pods of the Deployment ask for the token; no other pod gets it unasked.
automountServiceAccountToken: false
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: {{ $clusterName }}
  labels:
    {{- include "interlock-lib.labels" . | nindent 4 }}
rules:
  {{- .Files.Get "files/rules.yaml" | trim | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ $clusterName }}
  labels:
    {{- include "interlock-lib.labels" . | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ $clusterName }}
subjects:
  - kind: ServiceAccount
    name: {{ $fullname }}
    namespace: {{ .Release.Namespace }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  {{- include "interlock-lib.metadata" (list . "") | nindent 2 }}
rules:
  {{- .Files.Get "files/leader-election-rules.yaml" | trim | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  {{- include "interlock-lib.metadata" (list . "") | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ $fullname }}
subjects:
  - kind: ServiceAccount
    name: {{ $fullname }}
    namespace: {{ .Release.Namespace }}
{{- end -}}
