import { Document, isScalar, type Scalar } from 'yaml';
import type { Json } from '../operation.js';

/** How a file is written. */
export interface Style {
  eol: string;
  /** Spaces for each level. */
  step: number;
  /** Whether lists are indented below their key. */
  indentSeq: boolean;
  /** Whether the file is JSON, which is also YAML, but which other tools read as JSON. */
  isJson: boolean;
}

/** Returns the style of a file; the style of kustomize if it cannot be determined. */
export function styleOf(text: string): Style {
  const mapping = /(?:^|\n)( *)[^\s#-][^\n]*:[ \t]*\r?\n\1( +)[^\s#-]/.exec(text);
  const list = /(?:^|\n)( *)(?:- )?[^\s#-][^\n]*:[ \t]*\r?\n\1( *)- /.exec(text);
  return {
    eol: /\r?\n/.exec(text)?.[0] ?? '\n',
    step: Math.min(8, Math.max(2, mapping?.[2]?.length ?? 2)),
    indentSeq: (list?.[2] ?? '') !== '',
    isJson: isJson(text),
  };
}

/** Returns whether a text is a JSON object or list. */
export function isJson(text: string): boolean {
  const plainText = text.replace(/^\uFEFF/, '');
  if (!/^[ \t\r\n]{0,100}[{[]/.test(plainText)) return false;
  try {
    JSON.parse(plainText);
    return true;
  } catch {
    return false;
  }
}

/** Returns block text of a map or list of one entry without its last line break, to be put at a column. */
export function blockText(container: Json, style: Style, column: number, quoting?: Scalar.Type): string {
  const document = new Document(container, { compat: 'yaml-1.1', aliasDuplicateObjects: false });
  if (quoting !== undefined) setQuoting(document, container, quoting);
  const text = document.toString({
    lineWidth: 0,
    minContentWidth: 0,
    indent: style.step,
    indentSeq: style.indentSeq,
    doubleQuotedMinMultiLineLength: 1_000_000_000,
    flowCollectionPadding: true,
  });
  return indent(text.replace(/\n$/, ''), column).replaceAll('\n', style.eol);
}

function setQuoting(document: Document, container: Json, quoting: Scalar.Type): void {
  const key = Array.isArray(container) ? 0 : Object.keys(container ?? {})[0];
  const node: unknown = document.getIn([key], true);
  if (isScalar(node) && typeof node.value === 'string') node.type = quoting;
}

function indent(text: string, column: number): string {
  return text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(column)}`);
}

const plain = /^[A-Za-z_./][-A-Za-z0-9_./]*$/;

/** Returns a value on one line, valid in flow collections and everywhere else. In a JSON file, it is JSON. */
export function flowText(value: Json, style: Pick<Style, 'isJson'>): string {
  if (Array.isArray(value)) return `[${value.map((item) => flowText(item, style)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, member]) => memberText(key, member, style));
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  if (typeof value !== 'string' || style.isJson) return JSON.stringify(value);
  const text = new Document(value, { compat: 'yaml-1.1' }).toString({ lineWidth: 0 }).trimEnd();
  return text === value && plain.test(text)
    ? text
    : JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escaped);
}

/** Returns an entry of a map on one line. */
export function memberText(key: string, value: Json, style: Pick<Style, 'isJson'>): string {
  return `${flowText(key, style)}: ${flowText(value, style)}`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
