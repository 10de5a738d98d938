import { TypedError } from './errors.js';

/** The data of a template: text by dotted name. */
export type TemplateData = Readonly<Record<string, string>>;

const placeholder = /\{\{([^{}]*)\}\}/g;

/**
 * Replaces `{{ name }}` (a leading dot is allowed) with its value. Templates contain no logic.
 *
 * @param escape is applied to every value.
 * @throws TypedError `Invalid` naming an unknown name and the known ones.
 */
export function renderTemplate(
  template: string,
  data: TemplateData,
  escape: (value: string) => string,
): string {
  const rendered = template.replace(placeholder, (_match, inner: string) => {
    const name = inner.trim().replace(/^\./, '');
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    if (value === undefined) {
      const known = Object.keys(data).join(', ');
      throw new TypedError(
        'Invalid',
        `template: unknown name "${name}" in "{{${inner}}}"; known names are ${known}`,
        { reason: 'InvalidTemplate' },
      );
    }
    return escape(value);
  });
  const open = template.replace(placeholder, '').indexOf('{{');
  if (open >= 0) {
    throw new TypedError('Invalid', 'template: "{{" has no matching "}}"', { reason: 'InvalidTemplate' });
  }
  return rendered;
}
