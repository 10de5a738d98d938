/** What a merge of two commits makes. */
export interface MergeResult {
  clean: boolean;
  /** Whether the commits have a common ancestor. An SCM makes no pull request between those that have none. */
  related: boolean;
  /** The merged tree; with conflicts its files hold conflict markers. */
  tree: string;
  /** Paths with conflicts. */
  conflicts: string[];
}
