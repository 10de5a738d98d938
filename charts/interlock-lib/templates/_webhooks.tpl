{{/* The Service of the port `webhooks` and its access from outside: an Ingress, an HTTPRoute, or both. */}}
{{- define "interlock-lib.webhooks" -}}
{{- if .Values.webhooks.enabled -}}
{{- $service := printf "%s-webhooks" (include "interlock-lib.fullname" .) }}
apiVersion: v1
kind: Service
metadata:
  {{- include "interlock-lib.metadata" (list . "-webhooks") | nindent 2 }}
  {{- with .Values.webhooks.service.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  type: {{ .Values.webhooks.service.type }}
  selector:
    {{- include "interlock-lib.selectorLabels" . | nindent 4 }}
  ports:
    - name: webhooks
      port: 80
      targetPort: webhooks
{{- with .Values.webhooks.ingress }}
{{- if .enabled }}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  {{- include "interlock-lib.metadata" (list $ "-webhooks") | nindent 2 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with .className }}
  ingressClassName: {{ . | quote }}
  {{- end }}
  {{- if .tlsSecretName }}
  tls:
    - secretName: {{ .tlsSecretName | quote }}
      hosts: [{{ .host | quote }}]
  {{- end }}
  rules:
    - host: {{ .host | quote }}
      http:
        paths:
          - path: /webhooks
            pathType: Prefix
            backend:
              service:
                name: {{ $service }}
                port:
                  name: webhooks
{{- end }}
{{- end }}
{{- with .Values.webhooks.httpRoute }}
{{- if .enabled }}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  {{- include "interlock-lib.metadata" (list $ "-webhooks") | nindent 2 }}
spec:
  parentRefs:
    {{- toYaml .parentRefs | nindent 4 }}
  {{- with .hostnames }}
  hostnames:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  rules:
    - matches:
        - path:
            type: PathPrefix
            value: /webhooks
      backendRefs:
        - name: {{ $service }}
          port: 80
{{- end }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* The container port; see interlock-lib.deployment. */}}
{{- define "interlock-lib.webhookPorts" -}}
{{- if .Values.webhooks.enabled -}}
- name: webhooks
  containerPort: 8082
{{- end -}}
{{- end -}}

{{/* The flag of the program; see interlock-lib.deployment. */}}
{{- define "interlock-lib.webhookArgs" -}}
- --webhook-bind-address={{ ternary ":8082" "0" .Values.webhooks.enabled }}
{{- end -}}

{{/* The peers that may send webhooks; see interlock-lib.networkPolicy. */}}
{{- define "interlock-lib.webhookIngress" -}}
{{- if .Values.webhooks.enabled -}}
{{- include "interlock-lib.networkPolicyRule" (list "from" .Values.networkPolicy.webhooks.from (list "webhooks")) -}}
{{- end -}}
{{- end -}}
