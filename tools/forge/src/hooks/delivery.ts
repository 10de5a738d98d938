/** One event on its way to one hook. */
export interface Delivery {
  id: number;
  /** The same for all deliveries of one event to one hook. */
  guid: string;
  hookId: number;
  event: string;
  action: string | null;
  payload: Record<string, unknown>;
  repositoryId: number;
  /** Of a hook of an App. */
  installation: { id: number; appId: number } | null;
  redelivery: boolean;
  state: 'pending' | 'delivered' | 'failed';
  /** One entry for each time it was sent. */
  attempts: Attempt[];
}

export interface Attempt {
  /** RFC 3339. */
  at: string;
  durationMs: number;
  /** Absent when no answer came. */
  statusCode?: number;
  /** Why it counts as failed. */
  failure?: string;
  requestHeaders: Record<string, string>;
  responseBody: string;
}
