import express from "express";
import { Pool } from "pg";
import { adaptRoute } from "./adapt-route";
import { FindParcelsController } from "./find-parcels";
import { ParcelRepository } from "./parcel-repository";
import { RenameParcelController } from "./rename-parcel";

const app = express();
const parcels = new ParcelRepository(new Pool());
app.get("/parcels", adaptRoute(new FindParcelsController(parcels)));
app.patch("/parcels/:id", adaptRoute(new RenameParcelController(parcels)));
app.listen(3000);
