const reconcilesPerHour = 12;

/**
 * The operations of GitOps Promoter (argoproj-labs) for one unchanged environment, derived from its source code and
 * default settings: each ChangeTransferPolicy is reconciled every five minutes, with two `ls-remote` and about 75 git
 * processes, of which 11 are for each of five history entries.
 */
export const reference = {
  gitProcessesPerHour: 75 * reconcilesPerHour,
  lsRemotesPerHour: 2 * reconcilesPerHour,
} as const;
