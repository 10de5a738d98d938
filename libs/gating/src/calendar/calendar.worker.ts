export { readCalendar } from './read.js';

/** The script of this module for a thread; the bundler puts it here. */
export declare const source: string;
