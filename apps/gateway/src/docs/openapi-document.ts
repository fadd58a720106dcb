import { Injectable, type INestApplication } from '@nestjs/common';

/** The OpenAPI document, made when it is first asked for: it costs nothing at start. */
@Injectable()
export class OpenApiDocument {
  private app: INestApplication | undefined;
  private text: Promise<string> | undefined;

  /** Names the application whose routes are described. */
  describe(app: INestApplication): void {
    this.app = app;
  }

  /** The document as JSON text. */
  json(): Promise<string> {
    this.text ??= this.build();
    return this.text;
  }

  private async build(): Promise<string> {
    if (this.app === undefined) throw new Error('there is no application to describe');
    const { openApiDocument } = await import('../openapi/document.js');
    return JSON.stringify(openApiDocument(this.app));
  }
}
