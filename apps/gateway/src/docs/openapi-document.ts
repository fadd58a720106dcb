import { Injectable } from '@nestjs/common';

/** The OpenAPI document, built at the first request for it, so that it costs nothing at start-up. */
@Injectable()
export class OpenApiDocument {
  private make: (() => Promise<object>) | undefined;
  private text: Promise<string> | undefined;

  /** @param make builds the document of the application that serves it */
  describe(make: () => Promise<object>): void {
    this.make = make;
  }

  /** The document as JSON text. */
  json(): Promise<string> {
    this.text ??= this.build();
    return this.text;
  }

  private async build(): Promise<string> {
    if (this.make === undefined) throw new Error('no application was given to describe');
    return JSON.stringify(await this.make());
  }
}
