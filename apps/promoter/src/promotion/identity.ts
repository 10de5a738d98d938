/** Who makes the commits that the promoter pushes itself. */
export const promoterIdentity = { name: 'Interlock promoter', email: 'promoter@interlock.invalid' } as const;
