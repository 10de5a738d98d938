/** On the commit of a revert and on the commit that merges it: the commit of the environment branch that it takes back. */
export const revertOfTrailer = 'Revert-of';
/** The commit of the environment branch whose content comes back. */
export const revertToTrailer = 'Revert-to';
export const revertReasonTrailer = 'Revert-reason';
