/** The result of merging two commits. */
export interface MergeResult {
  clean: boolean;
  /** Whether the commits have a common ancestor. An SCM does not create a pull request between unrelated commits. */
  related: boolean;
  /** The merged tree; with conflicts, its files contain conflict markers. */
  tree: string;
  /** Paths with conflicts. */
  conflicts: string[];
}
