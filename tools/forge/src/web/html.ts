/** Text that is already HTML. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = Html | string | number | undefined | readonly Html[];

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Creates HTML from a template, and escapes all values that are not `Html`, in text and in quoted attributes. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(strings.map((part, index) => part + render(values[index])).join(''));
}

function render(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('\n');
  return String(value).replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** Returns the URL if its scheme is http or https, otherwise undefined, because a script must not be a link. */
export function webUrl(url: string | null | undefined): string | undefined {
  return url != null && /^https?:\/\//i.test(url) ? url : undefined;
}
