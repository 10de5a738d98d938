import { TypedError } from '@interlock/api';

/** The data of a template: text by dotted name. */
export type TemplateData = Readonly<Record<string, string>>;

const placeholder = /\{\{([^{}]*)\}\}/g;

/**
 * Replaces `{{ name }}` (a leading dot is allowed) by its value; there is no logic.
 * @param escape applied to every value.
 * @throws TypedError `Invalid` that names an unknown name and the known ones.
 */
export function render(template: string, data: TemplateData, escape: (value: string) => string): string {
  const rendered = template.replace(placeholder, (_match, inner: string) => {
    const name = inner.trim().replace(/^\./, '');
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    if (value === undefined) {
      const known = Object.keys(data).join(', ');
      throw new TypedError(
        'Invalid',
        `template: unknown name "${name}" in "{{${inner}}}"; known are ${known}`,
        {
          reason: 'InvalidTemplate',
        },
      );
    }
    return escape(value);
  });
  const open = template.replace(placeholder, '').indexOf('{{');
  if (open >= 0) {
    throw new TypedError('Invalid', 'template: "{{" without "}}"', { reason: 'InvalidTemplate' });
  }
  return rendered;
}

/** @returns a single line; control characters become spaces. */
export function escapeTitle(value: string): string {
  return value.replace(/[\p{Cc}\s]+/gu, ' ').trim();
}

/** @returns text that Markdown shows as it is: no markup, no HTML, no mention. */
export function escapeMarkdown(value: string): string {
  return value
    .replace(/[\\`*_{}[\]()#+!|~<>&]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/@/g, '@\u200b')
    .replace(/\r?\n/g, ' ');
}
