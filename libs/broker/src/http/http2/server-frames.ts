import type { Clock } from '@interlock/base';
import { AnswerHead } from './answer-head.js';
import type { BodySender } from './body-sender.js';
import { FloodGuard } from './flood-guard.js';
import type { FrameOutput } from './frame-output.js';
import type { FrameHandler } from './frame-reader.js';
import {
  contentOf,
  flags,
  frameTypes,
  max31Bits,
  pingFrame,
  settingsAckFrame,
  windowUpdateFrame,
} from './frames.js';
import { HeaderBlock } from './header-block.js';
import { HpackDecoder } from './hpack-decoder.js';
import { errorCodes, Http2Error, reportedError } from './http2-error.js';
import type { Http2Stream } from './http2-stream.js';
import type { PeerSettings } from './peer-settings.js';
import { ReceiveWindow } from './receive-window.js';
import type { StreamTable } from './stream-table.js';

interface ServerFramesOptions {
  streams: StreamTable;
  output: FrameOutput;
  bodies: BodySender;
  settings: PeerSettings;
  clock: Clock;
  onSettings: () => void;
  /** Called when the server accepts no more calls on the connection. */
  onGoaway: (error: Http2Error) => void;
}

/** Handles the frames of a server (RFC 9113, 6). Each method throws an Http2Error for a frame that ends the connection. */
export class ServerFrames implements FrameHandler {
  readonly #of: ServerFramesOptions;
  readonly #decoder = new HpackDecoder();
  readonly #window = new ReceiveWindow();
  readonly #guard = new FloodGuard();
  /** The block whose CONTINUATION frames have not all arrived. */
  #block: HeaderBlock | undefined;

  constructor(options: ServerFramesOptions) {
    this.#of = options;
  }

  frame(type: number, flagBits: number, id: number, payload: Buffer): void {
    this.#checkOrder(type, flagBits, id);
    switch (type) {
      case frameTypes.data:
        return this.#data(flagBits, id, payload);
      case frameTypes.headers:
        return this.#headers(flagBits, id, payload);
      case frameTypes.continuation:
        return this.#continuation(flagBits, payload);
    }
    this.#count();
    switch (type) {
      case frameTypes.rstStream:
        return this.#rstStream(id, payload.readUInt32BE(0));
      case frameTypes.settings:
        return this.#settings(flagBits, payload);
      case frameTypes.ping:
        if ((flagBits & flags.ack) === 0) this.#of.output.reply(pingFrame(payload, true));
        return;
      case frameTypes.goaway:
        return this.#goaway(payload.readUInt32BE(0) & max31Bits, payload.readUInt32BE(4));
      case frameTypes.windowUpdate:
        return this.#windowUpdate(id, payload.readUInt32BE(0) & max31Bits);
    }
  }

  /** Checks that the server begins with its settings, and that nothing is between the frames of a header block. */
  #checkOrder(type: number, flagBits: number, id: number): void {
    const isSettings = type === frameTypes.settings && (flagBits & flags.ack) === 0;
    if (!this.#of.settings.isKnown && !isSettings)
      throw new Http2Error('PROTOCOL_ERROR', 'the server does not begin with its settings');
    const isContinuation = type === frameTypes.continuation;
    if (
      isContinuation !== (this.#block !== undefined) ||
      (this.#block !== undefined && this.#block.streamId !== id)
    )
      throw new Http2Error('PROTOCOL_ERROR', 'a header block is interrupted or has no beginning');
  }

  /** Counts a frame that does not advance a call. */
  #count(): void {
    this.#guard.count(this.#of.clock.monotonic());
  }

  #data(flagBits: number, id: number, payload: Buffer): void {
    const { streams, output } = this.#of;
    const content = contentOf(frameTypes.data, flagBits, payload);
    const isEnd = (flagBits & flags.endStream) !== 0;
    const increment = this.#window.receive(payload.length);
    if (increment > 0) output.write(windowUpdateFrame(0, increment));
    const stream = streams.receiving(id);
    if (stream === undefined || (content.length === 0 && !isEnd)) this.#count();
    if (stream === undefined) return;
    const problem = stream.countContent(content.length, isEnd);
    if (problem !== undefined) streams.fail(stream, 'PROTOCOL_ERROR', problem);
    else this.#pass(stream, content, isEnd ? undefined : payload.length);
  }

  /** @param received the bytes of the frame; undefined: it is the last one */
  #pass(stream: Http2Stream, content: Buffer, received: number | undefined): void {
    const { output } = this.#of;
    if (content.length > 0) stream.exchange.data(Buffer.from(content));
    /* An answer that is too large has ended its stream. */
    if (stream.exchange.isSettled) return;
    if (received === undefined) {
      this.#finish(stream);
      return;
    }
    const increment = stream.receive(received);
    if (increment > 0) output.write(windowUpdateFrame(stream.id, increment));
  }

  #headers(flagBits: number, id: number, payload: Buffer): void {
    const fragment = contentOf(frameTypes.headers, flagBits, payload);
    const isEnd = (flagBits & flags.endStream) !== 0;
    if ((flagBits & flags.endHeaders) !== 0) {
      this.#head(id, isEnd, fragment);
      return;
    }
    this.#of.streams.find(id);
    this.#block = new HeaderBlock(id, isEnd);
    this.#block.add(fragment);
  }

  #continuation(flagBits: number, fragment: Buffer): void {
    const block = this.#block;
    if (block === undefined) return;
    block.add(fragment);
    if ((flagBits & flags.endHeaders) === 0) return;
    this.#block = undefined;
    this.#head(block.streamId, block.isEnd, block.whole());
  }

  /** Decodes each block, including the block of a stream that has ended: it may change the table of the decoder. */
  #head(id: number, isEnd: boolean, block: Buffer): void {
    const { streams } = this.#of;
    const head = new AnswerHead();
    this.#decoder.decode(block, head);
    const stream = streams.receiving(id);
    if (stream === undefined || head.status < 200) this.#count();
    if (stream === undefined) return;
    const problem = stream.takeHead(head, isEnd);
    if (problem !== undefined) streams.fail(stream, 'PROTOCOL_ERROR', problem);
    else if (isEnd) this.#finish(stream);
  }

  #finish(stream: Http2Stream): void {
    this.#guard.answered();
    this.#of.streams.finish(stream);
  }

  #rstStream(id: number, errorCode: number): void {
    const { streams } = this.#of;
    const stream = streams.find(id);
    if (stream === undefined) return;
    const error = reportedError(errorCode, 'the server has reset the stream');
    if (errorCode === errorCodes.REFUSED_STREAM) streams.refuse(stream, error);
    else streams.lose(stream, error);
  }

  #settings(flagBits: number, payload: Buffer): void {
    if ((flagBits & flags.ack) !== 0) return;
    const { settings, bodies, streams, output, onSettings } = this.#of;
    const before = settings.initialWindow;
    settings.apply(payload);
    bodies.resize(streams.all(), settings.initialWindow - before);
    output.reply(settingsAckFrame());
    onSettings();
  }

  /**
   * Ends the calls after the last one that the server names: they were not processed. The others may still be answered (RFC 9113,
   * 6.8).
   */
  #goaway(lastId: number, errorCode: number): void {
    const { streams, onGoaway } = this.#of;
    const error = reportedError(errorCode, 'the server closes the connection');
    onGoaway(error);
    for (const stream of streams.all()) if (stream.id > lastId) streams.refuse(stream, error);
  }

  #windowUpdate(id: number, increment: number): void {
    const { bodies, streams } = this.#of;
    if (id === 0) {
      if (increment === 0) throw new Http2Error('PROTOCOL_ERROR', 'an increment is 0');
      bodies.grant(increment);
      return;
    }
    const stream = streams.find(id);
    if (stream === undefined) return;
    if (increment === 0) streams.fail(stream, 'PROTOCOL_ERROR', 'an increment is 0');
    else if (!bodies.grantStream(stream, increment))
      streams.fail(
        stream,
        'FLOW_CONTROL_ERROR',
        'the server increases a flow-control window beyond its maximum',
      );
  }
}
