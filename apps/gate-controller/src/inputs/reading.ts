import type { OrProblem } from '@interlock/base';

/** What is known about an object that a keeper refers to; undefined until it has been read, which takes seconds. */
export type Reading<T> = OrProblem<T> | undefined;
