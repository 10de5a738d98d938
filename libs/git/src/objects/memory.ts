import { LRUCache } from 'lru-cache';
import type { Commit } from './commit.js';
import { EntryBudget } from './entry-budget.js';
import type { MergeResult } from './merge-result.js';

/* Results of one bit or one id are counted, not measured; a list counts as many of them. */
const maxAnswers = 100_000;
/* The approximate sizes of such a result with its key, and of a text in a list besides its characters. */
const answerBytes = 200;
const textBytes = 40;
/* References and tips, each of about 150 bytes. */
const maxRefs = 200_000;
/* A parsed commit takes about this many times the bytes of the object. */
const parsedFactor = 3;

/**
 * The cache of objects and results by object id, for all mirrors together: entries never become outdated, but they may be
 * dropped.
 */
export interface Memory {
  commits: LRUCache<string, Commit>;
  /** Raw: a parsed tree of many entries takes a multiple of the memory. */
  trees: LRUCache<string, Buffer>;
  blobs: LRUCache<string, Buffer>;
  ancestry: LRUCache<string, boolean>;
  merges: LRUCache<string, MergeResult>;
  changes: LRUCache<string, readonly string[]>;
  grafts: LRUCache<string, string>;
  /** The budget for the data of each mirror about its remote and its fetches. */
  refs: EntryBudget;
}

/* With `max` alone, a cache would allocate the space of all its entries at once. */
function atMost<V>(entries: number, texts: (value: V) => readonly string[] = () => []) {
  const sizeCalculation = (value: V) => {
    const bytes = texts(value).reduce((sum, { length }) => sum + textBytes + length, 0);
    return 1 + Math.ceil(bytes / answerBytes);
  };
  return { maxSize: entries, sizeCalculation };
}

/** Returns empty caches that hold at most `maxBytes` together, roughly. */
export function createMemory(maxBytes: number): Memory {
  return {
    commits: new LRUCache({ maxSize: Math.ceil(maxBytes / 4) }),
    trees: new LRUCache({ maxSize: Math.ceil(maxBytes / 4) }),
    blobs: new LRUCache({ maxSize: Math.ceil(maxBytes / 2) }),
    ancestry: new LRUCache(atMost(maxAnswers)),
    merges: new LRUCache(atMost(maxAnswers, ({ conflicts }) => conflicts)),
    grafts: new LRUCache(atMost(maxAnswers)),
    changes: new LRUCache(atMost(maxAnswers, (ids) => ids)),
    refs: new EntryBudget(maxRefs),
  };
}

/** Returns the size to account for an object of `bytes` bytes that is kept parsed. */
export function parsedSize(bytes: number): number {
  return (bytes + 100) * parsedFactor;
}
