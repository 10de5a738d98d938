import { TypedError } from '@interlock/api';
import { Composer, LineCounter, Parser, type Document, type ParsedNode } from 'yaml';
import { quoted } from '../../problem.js';
import type { Json } from '../operation.js';
import { documentProblem, foreignYaml, maxAliases } from './limits.js';

export type YamlDocument = Document.Parsed<ParsedNode>;

/** A YAML file: its text, and its documents with the offsets of their nodes. */
export interface YamlSource {
  text: string;
  documents: YamlDocument[];
}

const maxCharacters = 5_000_000;

/**
 * Returns the documents of a file, including those without any content.
 * @throws TypedError `Invalid` (`YamlInvalid`) with the line and column of the first error.
 */
export function parseYaml(path: string, text: string): YamlSource {
  if (text.length > maxCharacters)
    throw invalid(path, `is longer than ${maxCharacters} characters, which is too long to edit`);
  const lines = new LineCounter();
  const composer = new Composer<ParsedNode>({ keepSourceTokens: true, merge: true, ...foreignYaml });
  const documents: YamlDocument[] = [];
  for (const document of composer.compose(new Parser(lines.addNewLine).parse(text))) {
    const [error] = document.errors;
    const problem = error ? { message: error.message, offset: error.pos[0] } : documentProblem(document);
    if (problem !== undefined) {
      const { line, col } = lines.linePos(problem.offset);
      throw invalid(path, `is not YAML: line ${line}, column ${col}: ${problem.message.split('\n')[0]}`);
    }
    documents.push(document);
  }
  return { text, documents };
}

function invalid(path: string, problem: string): TypedError {
  return new TypedError('Invalid', `${quoted(path)} ${problem}`, { reason: 'YamlInvalid' });
}

/**
 * Returns the value of a document, with aliases resolved and copied; null for an empty document.
 * @throws TypedError `Invalid` (`YamlInvalid`) when it has too many aliases, or a value that JSON does not support.
 */
export function valueOf(path: string, document: YamlDocument): Json {
  try {
    const value: unknown = document.toJS({ maxAliasCount: maxAliases });
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? null : (JSON.parse(text) as Json);
  } catch (error) {
    throw invalid(path, `cannot be read: ${(error as { message?: string }).message ?? 'unknown error'}`);
  }
}

/** Returns whether a document has content, and not only comments. */
export function hasContent({ text }: YamlSource, { contents }: YamlDocument): boolean {
  return contents !== null && text.slice(contents.range[0], contents.range[1]).trim() !== '';
}
