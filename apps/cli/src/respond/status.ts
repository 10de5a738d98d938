import type { EventResponse } from '@interlock/api';

/** Returns the progress of a response so far, in sentences. */
export function statusSentences({ status = {} }: EventResponse): string[] {
  const { phase = 'Pending', stage, attempts = 0, outcome, error, providerRef, changeRequest } = status;
  const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const lines = [
    `${phase}${stage === undefined ? '' : `, ${stage}`}: ${attempts === 0 ? 'no attempt yet' : times}`,
  ];
  if (error !== undefined && phase !== 'Succeeded') {
    const detail = error.detail === undefined ? '' : `: ${error.detail}`;
    lines.push(`the last attempt failed (${[error.type, error.reason].filter(Boolean).join(', ')})${detail}`);
  }
  if (status.nextAttemptAt !== undefined && (phase === 'Pending' || phase === 'Running'))
    lines.push(`no attempt before ${status.nextAttemptAt}`);
  if (outcome !== undefined)
    lines.push(`${outcome.type}${outcome.message === undefined ? '' : `: ${outcome.message}`}`);
  if (status.cancelReason !== undefined) lines.push(`cancelled: ${status.cancelReason}`);
  if (providerRef !== undefined)
    lines.push(
      `pull request ${providerRef}${changeRequest?.state === undefined ? '' : ` is ${changeRequest.state}`}`,
    );
  return lines;
}
