import type { Controller, HttpRequest } from "./controller";
import type { ParcelRepository } from "./parcel-repository";

export class FindParcelsController implements Controller {
  constructor(private readonly parcels: ParcelRepository) {}

  async handle(request: HttpRequest) {
    const { town, street } = request.query;
    return { statusCode: 200, body: [await this.parcels.inTown(town), await this.parcels.inStreet(street)] };
  }
}
