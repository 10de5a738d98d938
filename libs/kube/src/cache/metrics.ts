/** Why a watch ended: closed by the server as planned, broken off, or refused. */
export type WatchEnd = 'closed' | 'idle' | 'expired' | 'failed';

/** The metrics of a cache, with the names of client-go's reflector. */
export interface CacheMetrics {
  /** Records a list: `reflector_lists_total{kind}`, `reflector_list_duration_seconds{kind}`, `reflector_items_per_list{kind}`. */
  listed(kind: string, seconds: number, items: number): void;
  /**
   * Records a watch: `reflector_watches_total{kind,end}`, `reflector_watch_duration_seconds{kind}`,
   * `reflector_items_per_watch{kind}`.
   */
  watched(kind: string, end: WatchEnd, seconds: number, events: number): void;
}

export const noCacheMetrics: CacheMetrics = { listed: () => undefined, watched: () => undefined };
