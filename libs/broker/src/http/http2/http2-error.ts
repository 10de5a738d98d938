/** Error codes of frames (RFC 9113, 7). */
export const errorCodes = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  SETTINGS_TIMEOUT: 4,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  CONNECT_ERROR: 10,
  ENHANCE_YOUR_CALM: 11,
  INADEQUATE_SECURITY: 12,
  HTTP_1_1_REQUIRED: 13,
} as const;

export type ErrorCodeName = keyof typeof errorCodes;

const names = new Map<number, ErrorCodeName>(
  (Object.keys(errorCodes) as ErrorCodeName[]).map((name) => [errorCodes[name], name]),
);

/** The failure of a stream or a connection. Its message never quotes what was received, which may hold secrets. */
export class Http2Error extends Error {
  /** For logs: the reason, as the protocol names it. */
  readonly code: string;
  readonly errorCode: number;

  constructor(reason: ErrorCodeName, message: string) {
    super(message);
    this.name = 'Http2Error';
    this.code = `HTTP2_${reason}`;
    this.errorCode = errorCodes[reason];
  }
}

/** Returns the failure that a server reports with an error code. An unknown code is equivalent to INTERNAL_ERROR. */
export function reportedError(errorCode: number, message: string): Http2Error {
  return new Http2Error(names.get(errorCode) ?? 'INTERNAL_ERROR', message);
}
