import { closeSync, openSync, writeSync } from 'node:fs';
import { encodeWorkerReport, type WorkerReport } from '@interlock/api/worker-report';
import { errorCode, Misconfigured } from './misconfigured.js';

/**
 * The file from which the kubelet reads the termination message. The kubelet creates it, so it must exist: a job whose report
 * cannot be read would count as not started.
 */
export class TerminationMessage {
  readonly #path: string;
  #length = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Replaces the report by one write over the earlier one, so that SIGKILL at any time leaves one of the two.
   *
   * @throws Misconfigured when the file does not exist or is not writable
   */
  write(report: WorkerReport): void {
    const text = encodeWorkerReport(report).padEnd(this.#length);
    this.#length = text.length;
    try {
      const file = openSync(this.#path, 'r+');
      try {
        writeSync(file, text, 0, 'latin1');
      } finally {
        closeSync(file);
      }
    } catch (error) {
      throw new Misconfigured(
        `cannot write the termination message ${this.#path} (${errorCode(error)}); leave terminationMessagePath of the container at its default, or set TERMINATION_MESSAGE_PATH to the same path`,
      );
    }
  }
}
