const reconcilesPerHour = 12;

/**
 * What GitOps Promoter (argoproj-labs) does for one environment in which nothing moves, counted from its sources at its
 * default settings: each ChangeTransferPolicy is reconciled every five minutes, with two `ls-remote` and about 75 git
 * processes, 11 of them for each of five entries of the history.
 */
export const reference = {
  gitProcessesPerHour: 75 * reconcilesPerHour,
  lsRemotesPerHour: 2 * reconcilesPerHour,
} as const;
