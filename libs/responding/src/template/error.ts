import { TypedError } from '@interlock/api';

/** A place in a template: lines and columns from 1. */
export interface Position {
  line: number;
  column: number;
}

/** Returns the place of an offset. */
export function positionOf(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
}

/** Returns the error `Invalid` (`TemplateInvalid`) with the place in the template. */
export function templateError({ line, column }: Position, problem: string): TypedError {
  return new TypedError('Invalid', `template line ${line}, column ${column}: ${problem}`, {
    reason: 'TemplateInvalid',
  });
}
