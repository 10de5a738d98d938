/** The default text of a pull request: what, why, how to undo it, and the files. */
export const defaultBody = `## Response to a security event

{{ if .event.type -}}
**Why:** \`{{ .event.type }}\`{{ if .event.severity }} (severity \`{{ .event.severity }}\`){{ end }} was detected\
{{ if .subject.name }} on {{ .subject.kind }} \`{{ .subject.name }}\`{{ end }}\
{{ if .subject.namespace }} in namespace \`{{ .subject.namespace }}\`{{ end }}\
{{ if .cluster.name }} of cluster \`{{ .cluster.name }}\`{{ end }}\
{{ if .event.detectedAt }} at \`{{ .event.detectedAt }}\`{{ end }}.
{{ else -}}
**Why:** the event of this response is not known any more.
{{ end }}
**What:** {{ if .response.action.actionRef }}\`{{ .response.action.actionRef }}\`, {{ end -}}
{{ len .change.files }} changed file{{ if ne (len .change.files) 1 }}s{{ end }}, \
lines: +{{ .change.added }} −{{ .change.removed }}; see below.

**To refuse it,** close this pull request: it is not opened again. **To undo it** after the merge, revert the merge \
as that of any other pull request.

- Event: \`{{ .event.name }}\`
- Response: \`{{ .response.name }}\`

### Files

{{ range .change.files -}}
- {{ .change }} \`{{ .path }}\`
{{ end }}`;

/** The default body of a commit message. */
export const defaultMessage =
  '{{ if .event.type }}{{ .event.type }} was detected{{ if .subject.name }} on {{ .subject.kind }} {{ .subject.name }}{{ end }}.{{ end }}';
