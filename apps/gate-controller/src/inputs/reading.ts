import type { OrProblem } from '@interlock/base';

/** What is known of something that a keeper refers to; undefined until it has been read, which takes seconds. */
export type Reading<T> = OrProblem<T> | undefined;
