/** The author of the commits that the promoter pushes. */
export const promoterIdentity = { name: 'Interlock promoter', email: 'promoter@interlock.invalid' } as const;
