/** The delivery of one event to one hook. */
export interface Delivery {
  id: number;
  /** The same for all deliveries of one event to one hook. */
  guid: string;
  hookId: number;
  event: string;
  action: string | null;
  payload: Record<string, unknown>;
  repositoryId: number;
  /** Id of the installation, for a hook of an App. */
  installation: { id: number; appId: number } | null;
  redelivery: boolean;
  state: 'pending' | 'delivered' | 'failed';
  /** One entry for each attempt. */
  attempts: Attempt[];
}

export interface Attempt {
  /** RFC 3339. */
  at: string;
  durationMs: number;
  /** Absent if there was no response. */
  statusCode?: number;
  /** The reason of a failure. */
  failure?: string;
  requestHeaders: Record<string, string>;
  responseBody: string;
}
