/** On the commit of a revert and on its merge commit: the commit of the environment branch that is reverted. */
export const revertOfTrailer = 'Revert-of';
/** The commit of the environment branch whose content is restored. */
export const revertToTrailer = 'Revert-to';
export const revertReasonTrailer = 'Revert-reason';
