import { tourDialects } from "./dialectTour";

tourDialects(3, 4);
