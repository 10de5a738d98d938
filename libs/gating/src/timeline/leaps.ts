/** Counts the steps that timelines take from one edge to the next, so that whoever searches can end it. */
export const leaps = { count: 0 };
