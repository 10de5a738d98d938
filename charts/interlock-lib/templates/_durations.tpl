{{/*
Returns the duration "value" for a flag. Fails if it is shorter than "atLeast", which the app refuses at its start: the
pods would then crash after a successful installation. Go parses both; "name" is the path of the value.
*/}}
{{- define "interlock-lib.duration" -}}
{{- $start := toDate "2006-01-02" "2000-01-01" -}}
{{- if lt ((mustDateModify .value $start).Sub $start) ((mustDateModify .atLeast $start).Sub $start) -}}
{{- fail (printf "%s is %s: it must be at least %s" .name .value .atLeast) -}}
{{- end -}}
{{- .value -}}
{{- end -}}
