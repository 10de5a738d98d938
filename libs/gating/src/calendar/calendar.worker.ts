export { readCalendar } from './read.js';

/** The script of this module for a worker thread; the bundler inserts it here. */
export declare const source: string;
