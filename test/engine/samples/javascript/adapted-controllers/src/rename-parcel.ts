import type { Controller, HttpRequest } from "./controller";
import type { ParcelRepository } from "./parcel-repository";

export class RenameParcelController implements Controller {
  constructor(private readonly parcels: ParcelRepository) {}

  handle = async ({ params, body }: HttpRequest) => {
    await this.parcels.rename(params.id, body.name);
    return { statusCode: 204, body: null };
  };
}
