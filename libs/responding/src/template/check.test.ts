import { describe, expect, it } from '@jest/globals';
import { checkTemplate } from './check.js';

describe('checkTemplate', () => {
  it.each([
    '{{ .Source.SE.Type }} {{ .Source.SE.Subject.Name }}',
    '{{ if .event.type }}{{ .event.type }}{{ else }}none{{ end }}',
    '{{ range .change.files }}{{ .path }} {{ .change }}{{ end }}',
    '{{ range .event.signals }}{{ . }}{{ end }}',
    '{{ if .event.signals }}{{ index .event.signals 3 }}{{ end }}',
    '{{ index .subject.labels "team" }}',
    '{{ with index .subject "roleBinding" }}{{ .roleRef.name }}{{ end }}',
    '{{ with .gate }}{{ .reason }}{{ end }}',
  ])('accepts %j', (template) => {
    expect(() => checkTemplate(template)).not.toThrow();
  });

  it.each([
    ['{{ .event.typo }}', 'typo'],
    ['{{ .Source.SE.type }}', 'type'],
    ['{{ if .event.type }}{{ .oops }}{{ end }}', 'oops'],
    ['{{ if eq .event.severity "high" }}{{ .oops }}{{ end }}', 'oops'],
    ['{{ if .event.type }}{{ else }}{{ .oops }}{{ end }}', 'oops'],
    ['{{ range .change.files }}{{ .name }}{{ end }}', 'name'],
    ['{{ with .subject }}{{ .oops }}{{ end }}', 'oops'],
    ['{{ or .event.type .oops }}', 'oops'],
    ['{{ index .event.signals 0 }}', 'the list has 0 items'],
    ['{{ .gate.reason }}', 'reason'],
  ])('refuses %j', (template, named) => {
    expect(() => checkTemplate(template)).toThrow(
      expect.objectContaining({ reason: 'TemplateInvalid', message: expect.stringContaining(named) }),
    );
  });

  it('accepts the fields of the gate if the route names a gate', () => {
    expect(() => checkTemplate('{{ .gate.reason }}', true)).not.toThrow();
    expect(() => checkTemplate('{{ .gate.oops }}', true)).toThrow('oops');
  });
});
